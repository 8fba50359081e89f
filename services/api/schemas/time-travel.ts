import { Type } from "#shared/generated/typebox/typebox.mjs";

/** The query of views that show a session as it was. */
export const AtSeqQuery = Type.Object({
  at_seq: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description:
        "shows the session as it was when this event was its newest; 0: right after its submission. At most its `last_seq`. By default as it is",
    }),
  ),
});
