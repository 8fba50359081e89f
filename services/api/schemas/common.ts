import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Uuid } from "#shared/contracts/uuid.ts";

/** A time as JSON: RFC 3339 in UTC with milliseconds. */
export const Time = Type.String({ format: "date-time" });

/** A JSON object whose members this document does not describe. */
export const AnyObject = Type.Object({}, { additionalProperties: true });

/** The path parameters of a session's routes. */
export const SessionParams = Type.Object({ id: Uuid });

/** The body of every error. */
export const ErrorResponse = Type.Object(
  {
    message: Type.String({ description: "one sentence for people" }),
    allowed: Type.Optional(
      Type.Array(Type.String(), { description: "the accepted values, where they are few" }),
    ),
    code: Type.Optional(
      Type.String({ description: "for machines, where a client must do something else than usual" }),
    ),
  },
  { title: "Error" },
);
