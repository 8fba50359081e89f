import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";

/** Of a session that runs and gets nowhere: one of its agents, that with the most failed calls. */
export const Failing = Type.Object(
  {
    what: Type.Enum(["provider", "gateway", "tools"], {
      description:
        "`provider`: its LLM provider fails or cannot be reached; `gateway`: no llm-gateway answers; `tools`: no tool-runner answers",
    }),
    provider: Type.String({ description: "the LLM provider of the agent" }),
    reason: Type.String({ description: "the last error, at most 300 characters" }),
    tries: Type.Optional(
      Type.Integer({ minimum: 1, description: "calls of the model that failed in a row" }),
    ),
    next_at: Type.Optional(Type.String({ description: "when it tries again; absent: within 30 s" })),
  },
  { title: "Failing" },
);
export type Failing = Static<typeof Failing>;
