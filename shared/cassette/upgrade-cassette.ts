import { Type } from "#shared/generated/typebox/typebox.mjs";
import { CASSETTE_VERSION } from "#shared/cassette/cassette.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const parseObject = compileParser("cassette", Type.Object({}, { additionalProperties: true }));
const parseCalls = compileParser(
  "cassette of version 0",
  Type.Object(
    {
      executions: Type.Array(
        Type.Object(
          { llm_calls: Type.Array(Type.Object({}, { additionalProperties: true })) },
          { additionalProperties: true },
        ),
      ),
    },
    { additionalProperties: true },
  ),
);

/** One step for each earlier version, from it to the next one. */
const STEPS: readonly ((value: unknown) => object)[] = [fromVersion0];

/** A cassette of an earlier version in the form of the current one; what the earlier one did not have is as if it had not happened. */
export function upgradeCassette(value: unknown, version: number): unknown {
  let upgraded: object = parseObject(value);
  for (const step of STEPS.slice(version, CASSETTE_VERSION)) upgraded = step(upgraded);
  return version === CASSETTE_VERSION ? upgraded : { ...upgraded, version: CASSETTE_VERSION };
}

/** Version 0, of previews, did not say what masking had changed, whether calls were sent, and which calls were left out. */
function fromVersion0(value: unknown): object {
  const { executions, ...cassette } = parseCalls(value);
  return {
    masked: [],
    ...cassette,
    executions: executions.map(({ llm_calls, ...execution }) => ({
      memories: [],
      ...execution,
      llm_calls: llm_calls.map((call) => ({ was_sent: true, ...call })),
    })),
  };
}
