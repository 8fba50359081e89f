import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Uuid } from "#shared/contracts/uuid.ts";

/** A time as JSON: RFC 3339 in UTC with milliseconds. */
export const Time = Type.String({ format: "date-time" });

/** A JSON object whose members this document does not describe. */
export const AnyObject = Type.Object({}, { additionalProperties: true });

/** Of a member that may be null. */
export const Nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
export const NullableText = Nullable(Type.String());

/** The number of an event of a session. */
export const Seq = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

/** The path parameters of a session's routes. */
export const SessionParams = Type.Object({ id: Uuid });

/** The query of views that show a session as it was. */
export const AtSeqQuery = Type.Object({
  at_seq: Type.Optional({
    ...Seq,
    description:
      "shows the session as it was when this event was its newest; 0: right after its submission. At most its `last_seq`. By default as it is",
  }),
});

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
