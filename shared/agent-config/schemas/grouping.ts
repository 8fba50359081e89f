import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Duration, Name } from "#shared/agent-config/schemas/schema-parts.ts";

/** A place in a JSON alert, as RFC 6901 writes it. */
export const Pointer = Type.String({
  pattern: "^(?:/(?:[^~/]|~[01])+)+$",
  rule: "must be a JSON pointer into the alert; write it like /commonLabels/alertname",
});
const Pointers = Type.Array(Pointer, { minItems: 1 });

const GROUPING_KEYS = {
  window: Type.Optional(Duration),
  on_late: Type.Optional(Type.Enum(["count", "reopen"])),
  on_resolved: Type.Optional(Type.Enum(["continue", "conclude", "cancel"])),
};

/** The member by which an alert of unknown form says that it is over; `alert` distinguishes the alerts of a group. */
const Resolved = Type.Object({
  path: Pointer,
  values: Type.Array(Name, { minItems: 1 }),
  alert: Type.Optional(Pointers),
});

/** The rule for the alerts of one incident, where the form of the alerts is not known. */
export const Grouping = Type.Object({ by: Pointers, ...GROUPING_KEYS, resolved: Type.Optional(Resolved) });
export type Grouping = Static<typeof Grouping>;

/** The same for a source that has groups of its own, and says when an alert is over. */
export const SourceGrouping = Type.Object({ by: Type.Optional(Pointers), ...GROUPING_KEYS });
