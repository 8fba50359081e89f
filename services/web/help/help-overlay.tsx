import { signal } from "@preact/signals";
import { useKeys } from "../keys.ts";
import { laterPart } from "../parts/later-part.tsx";
import { loadRare } from "../screens/load-rare.ts";
import { TEXT } from "../text.ts";

const HelpDialog = laterPart(async () => (await loadRare()).HelpDialog);

/** Whether the overlay is shown. */
const isOpen = signal(false);

/** Shows the keys. */
export function openHelp(): void {
  isOpen.value = true;
}

/** The keys of the present screen, in a dialog that is loaded when it is opened. */
export function HelpOverlay() {
  useKeys({ "?": [TEXT.app.helpKey, openHelp] });
  return isOpen.value ? <HelpDialog onClose={() => (isOpen.value = false)} /> : null;
}
