import { Type } from "#shared/generated/typebox/typebox.mjs";

/** The largest signed 32-bit integer: the columns and timers behind these settings hold no more. */
export const LARGEST_COUNT = 2_147_483_647;

/** A whole number in a range, both ends allowed. */
export const Whole = (minimum: number, maximum: number = LARGEST_COUNT) => Type.Integer({ minimum, maximum });

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

/** The name of an environment variable; `secretIfWrong` keeps a key pasted here by mistake out of the report. */
export const VariableName = Type.String({
  pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
  rule: "must be the name of an environment variable, not its value",
  secretIfWrong: true,
});

/** A secret; never shown. */
export const Secret = Type.String({ secret: true });
