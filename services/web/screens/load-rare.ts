import { loadLaterStyles } from "../parts/load-later-styles.ts";

/** Loads what few open at first, with its styles. Rejects where a file is gone, as after an update of the api. */
export async function loadRare() {
  const [rare] = await Promise.all([import("./rare-screens.ts"), loadLaterStyles()]);
  return rare;
}
