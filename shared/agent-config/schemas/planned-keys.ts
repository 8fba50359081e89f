import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Name, VariableName, Whole } from "#shared/agent-config/schemas/schema-parts.ts";

const Count = Type.Optional(Whole(1));

/** The model that says which memories are near to an alert in meaning. */
export const Embedding = Type.Object(
  {
    provider: Type.Optional(Type.Enum(["google", "openai"])),
    model: Type.Optional(Name),
    api_key_env: Type.Optional(VariableName),
    dimensions: Count,
    base_url: Type.Optional(Name),
  },
  { notYet: "memories are found by their words" },
);
