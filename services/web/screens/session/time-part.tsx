import { laterPart } from "../../parts/later-part.tsx";
import { TEXT } from "../../text.ts";
import { loadRare } from "../load-rare.ts";
import { isNarrow } from "./window-width.ts";
import type { SessionStore } from "./session-store.ts";

const TimeSlider = laterPart(async () => (await loadRare()).TimeSlider);

/** The way through the time of a session, once there is more than one moment. */
export function TimePart({ store }: { readonly store: SessionStore }) {
  const last = store.version.value >= 0 ? store.fold.view.seq : 0;
  // The place is kept free until the part is loaded, so that nothing moves.
  const hasRoom = last > 1 || (store.facts.value?.last_seq ?? 0) > 1;
  const slider = last > 1 && !store.isReading.value && <TimeSlider store={store} />;
  if (!isNarrow.value) return <div class={hasRoom ? "time-part" : ""}>{slider}</div>;
  return (
    <details class="time-part small" open={store.at.value !== undefined}>
      <summary>{TEXT.session.time}</summary>
      {slider}
    </details>
  );
}
