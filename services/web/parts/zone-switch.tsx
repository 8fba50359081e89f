import { zoneName } from "#shared/client/time-text.ts";
import { TEXT } from "../text.ts";
import { now } from "./clock.ts";
import { switchZone, zone } from "./zone.ts";

/** Names the zone of all times, once for the page, and switches between the reader's own and UTC. */
export function ZoneSwitch() {
  const name = zoneName(now.value, zone.value);
  const hint = `${TEXT.app.zone(name)}: ${TEXT.app.nextZone[zone.value]}`;
  return (
    <button type="button" class="button plain small" aria-label={hint} title={hint} onClick={switchZone}>
      {name}
    </button>
  );
}
