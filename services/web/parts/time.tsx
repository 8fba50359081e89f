import { cancelledBy, type Cancelled } from "#shared/client/session-state.ts";
import { shownText } from "../session/shown-text.ts";
import { now } from "./clock.ts";
import { ageText, durationText, exactTimeText, momentText } from "./format.ts";

/** A length of time in milliseconds. */
export function Duration({ ms }: { readonly ms: number }) {
  return <span class="numbers">{durationText(ms)}</span>;
}

/** The time since an instant, which grows while it is shown. */
export function Elapsed({ since }: { readonly since: string }) {
  return <Duration ms={now.value - Date.parse(since)} />;
}

/** How long ago an instant is; the instant itself is in the title. */
export function Age({ time }: { readonly time: string }) {
  return (
    <time class="numbers" dateTime={time} title={exactTimeText(Date.parse(time))}>
      {ageText(now.value - Date.parse(time))}
    </time>
  );
}

/** When something was: by the clock, and how long ago if that is less than a day. */
export function Moment({ time }: { readonly time: string }) {
  return (
    <time class="numbers" dateTime={time} title={exactTimeText(Date.parse(time))}>
      {momentText(Date.parse(time), now.value)}
    </time>
  );
}

/** Who cancelled a session, and when. */
export function CancelledBy({ cancelled }: { readonly cancelled: Cancelled }) {
  return (
    <>
      {shownText(cancelledBy(cancelled))} <Moment time={cancelled.at} />
    </>
  );
}
