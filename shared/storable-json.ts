import { storableText } from "#shared/storable-text.ts";

/** JSON text that jsonb takes: in text that is JSON already an offending character hides behind its escape. */
export function storableJson(value: object): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "string" ? storableText(member).text : member,
  );
}
