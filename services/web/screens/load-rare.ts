/** Loads what few open at first, with its styles. Rejects where a file is gone, as after an update of the api. */
export async function loadRare() {
  const [rare] = await Promise.all([import("./rare-screens.ts"), loadLaterStyles()]);
  return rare;
}

let loading: Promise<void> | undefined;

/** Loads the styles of what is loaded later, once. Rejects if their file is gone; the next call tries again. */
async function loadLaterStyles(): Promise<void> {
  loading ??= load();
  try {
    await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

async function load(): Promise<void> {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = document.querySelector<HTMLMetaElement>("meta[name=later-styles]")?.content ?? "";
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  link.addEventListener("load", () => resolve());
  link.addEventListener("error", () => reject(new Error(`no styles at ${link.href}`)));
  document.head.append(link);
  return promise;
}
