import { expect } from "chai";
import { pino } from "pino";
import { openBus } from "#shared/bus/open-bus.ts";
import { untilSubscribed } from "#shared/bus/subscribe.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";
import { parseRunbookRepository } from "#shared/runbooks/runbook-repository.ts";
import { ApiFixture } from "../../services/api/test/api-fixture.ts";
import { serveRunbooks } from "../../services/tool-runner/runbooks/serve-runbooks.ts";
import { HttpsHost } from "../support/https-host.ts";

const log = pino({ level: "silent" });

describe("the list of runbooks", () => {
  const resources = new AsyncDisposableStack();
  after(() => resources.disposeAsync());

  it("is what a tool-runner lists, and empty while none answers", async () => {
    const tree = { tree: [{ path: "disk.md", type: "blob" }] };
    const host = resources.use(
      await HttpsHost.start(["api.github.com"], (_request, response) => response.end(JSON.stringify(tree))),
    );
    const github = `github.com:${host.port}`;
    const repo_url = `https://${github}/acme/runbooks/tree/main`;
    const system = { runbooks: { allowed_domains: [github], repo_url } };
    const api = resources.use(await ApiFixture.start({ config: { tarsy: { system } } }));
    await api.untilConnected();
    expect((await api.raw("GET", "/api/v1/runbooks")).text).to.equal("[]");

    const { servers } = api;
    const { signal } = new AbortController();
    const url = servers.postgres.serviceUrls["tool-runner"];
    const db = resources.use(
      await openDatabase({ url, applicationName: "runbooks", poolSize: 2, log, signal }),
    );
    const bus = resources.use(
      await openBus({ url: servers.natsUrl("tool-runner"), name: "runbooks", log, signal }),
    );
    const repository = parseRunbookRepository(repo_url);
    if (typeof repository === "string") throw new Error(repository);
    const settings = {
      allowedHosts: [github],
      repository,
      cacheMs: 60_000,
      githubToken: "",
      maskingRules: rulesOfServer(),
    };
    const network = {
      resolve: () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]),
      isBlocked: () => false,
      ca: host.ca,
    };
    resources.use(serveRunbooks({ bus, db, masker: resources.use(new Masker()), log, settings, network }));
    await untilSubscribed(bus, signal);
    const { text } = await api.raw("GET", "/api/v1/runbooks");
    expect(JSON.parse(text)).to.deep.equal([`https://${github}/acme/runbooks/blob/main/disk.md`]);
  });
});
