/** What this browser keeps for the page's origin; other ports have other storages. `page` is one half of what lets the page in: the other is a cookie. */
type StoredName = "page" | "zone" | "scheme";

/** The name of what is kept, in the browser's storage and in its events. */
export function storedName(kept: StoredName): string {
  return `tarsy.${kept}`;
}

/** What is kept; undefined if it is not there, or storage is switched off. */
export function stored(kept: StoredName): string | undefined {
  try {
    return globalThis.localStorage?.getItem(storedName(kept)) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a value, or forgets it; false where storage is full or switched off: then a choice lasts until the page is closed. */
export function store(kept: StoredName, value: string | undefined): boolean {
  try {
    if (value === undefined) globalThis.localStorage?.removeItem(storedName(kept));
    else globalThis.localStorage?.setItem(storedName(kept), value);
    return true;
  } catch {
    return false;
  }
}
