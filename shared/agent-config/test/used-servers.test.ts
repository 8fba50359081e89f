import { expect } from "chai";
import { chosenServers } from "#shared/agent-config/used-servers.ts";
import { DEFAULTS, loadText } from "./config-fixture.ts";

describe("chosenServers(agents)", () => {
  const chain = (id: string, types: string, agent: string) =>
    `  ${id}: {alert_types: [${types}], stages: [{name: look, agents: [{name: ${agent}}]}]}\n`;
  const load = async (chains: string) => loadText(`${DEFAULTS}  alert_type: shop\nagent_chains:\n${chains}`);
  const shop = chain("shop", "shop", "SynthesisAgent");

  it("are not those of the built-in chain, unless alerts go to it by default or a chain replaces it under its id", async () => {
    expect([...chosenServers(await load(shop))]).to.deep.equal([]);
    const own = chain("kubernetes-agent-chain", "kubernetes, pods", "KubernetesAgent");
    expect([...chosenServers(await load(shop + own))]).to.deep.equal(["kubernetes-server"]);
    expect([...chosenServers(await loadText(DEFAULTS))]).to.deep.equal(["kubernetes-server"]);
  });
});
