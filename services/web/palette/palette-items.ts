import { sessionState } from "#shared/client/session-state.ts";
import { factsOf } from "../screens/sessions/list-rows.ts";
import { may } from "../api/me.ts";
import type { KeyBindings } from "../keys.ts";
import { momentText, shortId } from "../parts/format.ts";
import { shownText } from "../session/shown-text.ts";
import { TEXT } from "../text.ts";
import type { SessionItem } from "../screens/sessions/list-filters.ts";

/** Something that the palette leads to. */
export interface PaletteItem {
  readonly key: string;
  readonly text: string;
  /** What it is, and for a session how it is. */
  readonly note: string;
  readonly url: string;
}

/** What a key of the present screen does. */
export interface PaletteAction {
  readonly key: string;
  readonly text: string;
  readonly note: string;
  readonly run: () => void;
}

const SCREENS: readonly PaletteItem[] = [
  ["/", TEXT.titles.sessions],
  ["/triage", TEXT.titles.triage],
  ["/handover", TEXT.titles.handover],
  ["/new", TEXT.titles.submit],
  ["/usage", TEXT.titles.usage],
  ["/memories", TEXT.titles.memories],
  ["/compare", TEXT.titles.compareAny],
  ["/system", TEXT.titles.system],
].map(([url = "", text = ""]) => ({ key: url, text, note: TEXT.palette.screen, url }));

const SESSION_PATH = /^\/s\/(?<id>[0-9a-f-]{36})/u;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/iu;

/** The screens whose names contain all words of a text, those of the session on the screen first. */
export function screenItems(text: string, path: string): readonly PaletteItem[] {
  const id = SESSION_PATH.exec(path)?.groups?.["id"];
  const own =
    id === undefined
      ? []
      : [
          [`/s/${id}`, TEXT.titles.session],
          [`/s/${id}/trace`, TEXT.titles.trace],
          [`/compare/${id}`, TEXT.session.compareWith],
        ].map(([url = "", name = ""]) => ({ key: url, text: name, note: TEXT.palette.screen, url }));
  const words = wordsOf(text);
  const isOffered = (url: string) => url !== path && (url !== "/new" || may("alert.submit"));
  return [...own, ...SCREENS].filter((item) => isOffered(item.url) && hasWords(item.text, words));
}

/** What the keys of the present screen do, if its words contain all words of a text, and there is one. */
export function actionItems(text: string, shown: readonly KeyBindings[]): readonly PaletteAction[] {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  return shown.flatMap((bindings) =>
    Object.entries(bindings)
      .filter(([key, [name]]) => !key.startsWith("Mod+") && hasWords(name, words))
      .map(([key, [name, run]]) => ({
        key: `key ${key}`,
        text: name,
        note: `${TEXT.palette.action} · ${key}`,
        run: () => run(new KeyboardEvent("keydown", { key })),
      })),
  );
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
}

function hasWords(name: string, words: readonly string[]): boolean {
  return words.every((word) => name.toLowerCase().includes(word));
}

/** The session that a text names by its id, also as a part of an address. */
export function idItem(text: string): PaletteItem | undefined {
  const id = UUID.exec(text)?.[0].toLowerCase();
  return id === undefined ? undefined : { key: id, text: id, note: TEXT.palette.session, url: `/s/${id}` };
}

/** A session of a list: its alert, then how it stands, when it was, of which type it is, and the beginning of its id. */
export function sessionItem(session: SessionItem, now: number): PaletteItem {
  const { id, alert_preview, alert_type, chain_id, created_at } = session;
  const type = alert_type ?? chain_id;
  const moment = momentText(Date.parse(created_at), now);
  return {
    key: id,
    text: shownText(alert_preview) || type,
    note: [sessionState(factsOf(session)).text, moment, shownText(type), shortId(id)].join(" · "),
    url: `/s/${id}`,
  };
}
