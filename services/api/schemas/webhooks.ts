import { Type } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** The answer of every webhook. */
export const WebhookResponse = Type.Object({
  session_id: Type.Optional(Uuid),
  session_ids: Type.Array(Uuid, { description: "several where the source's alerts are split" }),
  status: Type.Union(
    [Type.Literal("queued"), Type.Literal("known"), Type.Literal("linked"), Type.Literal("resolved")],
    {
      description:
        "queued: a session was started; known: it was started before, or none is; linked: the alert belongs to the session of its incident; resolved: it says that it is over, and none is about it",
    },
  ),
  message: Type.String(),
});

/** The answer to a handshake or a test, which starts no session. */
export const HandshakeResponse = Type.Object({
  challenge: Type.Optional(Type.String({ description: "to Slack" })),
  validationResponse: Type.Optional(Type.String({ description: "to Azure Event Grid" })),
  message: Type.Optional(Type.String({ description: "to a test" })),
});

export const RawQuery = Type.Object({
  alert_type: Type.Optional(Type.String()),
  priority: Type.Optional(literals(SESSION_LANES)),
});
