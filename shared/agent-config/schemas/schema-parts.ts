import type { TSchema } from "typebox";
import { Type } from "#shared/generated/typebox/typebox.mjs";

/** The largest signed 32-bit integer: the columns and timers behind these settings hold no more. */
export const LARGEST_COUNT = 2_147_483_647;

/** A whole number in a range, both ends allowed. */
export const Whole = (minimum: number, maximum: number = LARGEST_COUNT) => Type.Integer({ minimum, maximum });

/** A price in USD per million tokens. */
export const UsdRate = Type.Number({ minimum: 0, maximum: 1_000_000 });

/** A time as RFC 3339 writes it. */
export const Instant = Type.String({ format: "instant" });

/** Free text; empty text counts as set. */
export const Text = Type.String({ freeText: true });

/** Free text of prompts and descriptions: the loader keeps `{{.NAME}}` in it, so that no value is stored or shown. */
export const Template = Type.String({ freeText: true, template: true });

/** A name, reference or address; an empty one counts as not set where it is optional. */
export const Name = Type.String({ minLength: 1 });

/** A positive duration in Go's notation (`1h30m`). */
export const Duration = Type.String({ format: "duration-above-zero" });

/** A duration in Go's notation, zero or more. */
export const DurationOrZero = Type.String({ format: "duration-or-zero" });

/** A duration of a key that has no effect: zero or more, however long. */
export const UnusedDuration = Type.String({ format: "unused-duration" });

/** Zero, or an empty list, counts as not set. */
export const orZero = <S extends TSchema>(schema: S) => Type.With(schema, { zeroUnset: true });

/** The name of an environment variable; `secretIfWrong` keeps a key pasted here by mistake out of the report. */
export const VariableName = Type.String({
  pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
  rule: "must be the name of an environment variable, not its value",
  secretIfWrong: true,
});

/** Like `Name`, but the loader keeps `{{.NAME}}` in it: only the tool-runner inserts values. */
export const NameTemplate = Type.String({ minLength: 1, template: true });

/** A secret, which is never shown. The loader keeps `{{.NAME}}` in it: only the tool-runner inserts values. */
export const SecretTemplate = Type.String({ secret: true, template: true });

/** The name of a receiver or a source, which is part of addresses, metrics and logs. */
export const ReceiverName = Type.String({
  pattern: "^[a-z0-9][a-z0-9_-]{0,62}$",
  rule: "must be at most 63 small letters, digits, - and _",
});
