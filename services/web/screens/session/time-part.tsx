import { laterPart } from "../../parts/later-part.tsx";
import { loadRare } from "../load-rare.ts";
import type { SessionStore } from "./session-store.ts";

const TimeSlider = laterPart(async () => (await loadRare()).TimeSlider);

/** The way through the time of a session, once there is more than one moment. */
export function TimePart({ store }: { readonly store: SessionStore }) {
  const last = store.version.value >= 0 ? store.fold.view.seq : 0;
  // The place is kept free until the part is loaded, so that nothing moves.
  return <div class="time-part">{last > 1 && !store.isReading.value && <TimeSlider store={store} />}</div>;
}
