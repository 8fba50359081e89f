import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { ApiDeps } from "../../api-deps.ts";
import { SteeringBody } from "../../steering/contract.ts";
import { openSteering } from "../../steering/open-steering.ts";
import { defineTool, resultOf } from "../tool.ts";

/** Writes to the agents of a running investigation. */
export const steerTool = (deps: ApiDeps) => {
  const steer = openSteering(deps);
  return defineTool(deps, {
    action: "session.steer",
    scope: "write",
    name: "steer",
    description:
      "Tell the agents of a running investigation something (note), have them conclude now (conclude), or have them go on without the tool call that is running (skip_tool).",
    annotations: {
      title: "Steer an investigation",
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
    },
    input: Type.Object({
      session_id: Uuid,
      ...SteeringBody.properties,
      idempotency_key: Type.Optional(
        Type.String({ pattern: "^[\\x21-\\x7e]{1,255}$", description: "the same key is the same message" }),
      ),
    }),
    run: async ({ session_id, idempotency_key: idempotencyKey, ...body }, call) => {
      const steered = await steer(call.caller, session_id, { read: () => body, idempotencyKey });
      return resultOf({ ...steered.accepted, is_repeated: steered.isReplayed });
    },
  });
};
