/** Changes one parameter of the address without a new entry in the history; undefined removes it. */
export function replaceParameter(name: string, value: string | undefined): void {
  const url = new URL(location.href);
  if (url.searchParams.get(name) === (value ?? null)) return;
  if (value === undefined) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  history.replaceState(history.state, "", url);
}

/** The number in a parameter of the address; undefined if there is none. */
export function numberParameter(name: string): number | undefined {
  const value = Number(new URL(location.href).searchParams.get(name) ?? "");
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

const ANCHOR = /^#e-(?<id>[\w-]+)$/u;

/** The entry that the address names. */
export function entryOfAddress(): string | undefined {
  return ANCHOR.exec(location.hash)?.groups?.["id"];
}
