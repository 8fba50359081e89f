import { adaptTools } from "../services/llm-gateway/tool-schemas/adapt-call.ts";
import { APIS, toolWith } from "../services/llm-gateway/test/adapted-request.ts";
import { AWKWARD_SCHEMAS } from "../services/llm-gateway/test/awkward-schemas.ts";
import { OVERSIZED_SCHEMAS } from "../services/llm-gateway/test/oversized-schemas.ts";
import { toolListings } from "../services/llm-gateway/test/tool-listings.ts";

/**
 * Prints how many tools each API accepts as their servers list them, and in the form that the gateway sends:
 *
 *   node scripts/count-accepted-tools.ts
 */
const listed = [...toolListings().values()];
const awkward = Object.values({ ...AWKWARD_SCHEMAS, ...OVERSIZED_SCHEMAS }).map((schema) => [
  toolWith(schema),
]);

for (const [what, lists] of Object.entries({ "tools of real servers": listed, "awkward schemas": awkward })) {
  const tools = lists.flat();
  process.stdout.write(`${what}: ${tools.length} in ${lists.length} lists\n`);
  for (const [api, { rules, refusal }] of Object.entries(APIS)) {
    const asListed = tools.filter((tool) => refusal([tool]) === undefined).length;
    const listsAsListed = lists.filter((list) => refusal(list) === undefined).length;
    const sent = lists.map((list) =>
      [...adaptTools(list, rules).tools.values()].map(({ definition }) => definition),
    );
    const alone = tools.flatMap((tool) => [...adaptTools([tool], rules).tools.values()]);
    const accepted = alone.filter(({ definition }) => refusal([definition]) === undefined).length;
    const listsAccepted = sent.filter((list) => refusal(list) === undefined).length;
    process.stdout.write(
      `  ${api}: as listed ${asListed} tools, ${listsAsListed} lists; adapted ${accepted} tools, ${listsAccepted} lists\n`,
    );
  }
}
