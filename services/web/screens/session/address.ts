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

/**
 * The address of a session as this page has it, for one that the original's dashboard has and messages and bookmarks still name:
 * `/sessions/:id?stage=&event=`.
 * @param search the query with its question mark
 */
export function ownAddress(id: string, search: string): string {
  const given = new URLSearchParams(search);
  const [event = "", stage = ""] = ["event", "stage"].map((name) => given.get(name) ?? "");
  const place = ID.test(event) ? `#e-${event}` : ID.test(stage) ? `#stage-${stage}` : "";
  return `/s/${encodeURIComponent(id)}${place}`;
}

const ID = /^[\w-]+$/u;
const STAGE = /^#(?<place>stage-[\w-]+)$/u;

/** The id of the element of the stage that the address names. */
export function stageOfAddress(): string | undefined {
  return STAGE.exec(location.hash)?.groups?.["place"];
}

const ANCHOR = /^#e-(?<id>[\w-]+)$/u;

/** The entry that the address names. */
export function entryOfAddress(): string | undefined {
  return ANCHOR.exec(location.hash)?.groups?.["id"];
}
