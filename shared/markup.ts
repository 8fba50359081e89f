import { visibleControls } from "#shared/visible-controls.ts";

/** Markup that needs no escaping any more. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The values that may be inserted into markup; lists are joined, and false, null and undefined are nothing. */
type Insertable = string | number | boolean | null | undefined | Markup | readonly Insertable[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
/** XML and HTML have no place for them. */
const CONTROL = /(?![\n\t])\p{Cc}|[\uFFFE\uFFFF]/gu;

/** Text as it may stand in HTML, SVG and XML, inside of attributes too; what has no place there or hides itself is shown. */
function escapeMarkup(text: string): string {
  return visibleControls(text.toWellFormed().replaceAll("\r", "").replaceAll(CONTROL, "\uFFFD")).replaceAll(
    /[&<>"']/gu,
    (character) => ENTITIES[character] ?? character,
  );
}

/** Markup from a template; every inserted value is escaped unless it is markup itself. */
export function markup(strings: TemplateStringsArray, ...values: readonly Insertable[]): Markup {
  return new Markup(strings.map((part, index) => part + insert(values[index])).join(""));
}

function insert(value: Insertable): string {
  if (value instanceof Markup) return value.text;
  if (value === null || value === undefined || typeof value === "boolean") return "";
  if (typeof value === "string") return escapeMarkup(value);
  return typeof value === "number" ? String(value) : value.map(insert).join("");
}
