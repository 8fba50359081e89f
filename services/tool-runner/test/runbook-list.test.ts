import { expect } from "chai";
import { pino } from "pino";
import { parseRunbookRepository } from "#shared/runbooks/runbook-repository.ts";
import { HttpsHost } from "../../../test/support/https-host.ts";
import { RunbookList } from "../runbooks/runbook-list.ts";

const log = pino({ level: "silent" });
const TREE = {
  sha: "abc",
  truncated: false,
  tree: [
    { path: "alerts", type: "tree", sha: "1" },
    { path: "alerts/disk full.md", type: "blob", sha: "2" },
    { path: "alerts/db/LOCKS.MD", type: "blob", sha: "3" },
    { path: "alerts/script.sh", type: "blob", sha: "4" },
    { path: "alerts-old/a.md", type: "blob", sha: "5" },
    { path: "README.md", type: "blob", sha: "6" },
  ],
};

describe("RunbookList", () => {
  const { signal } = new AbortController();
  const resources = new AsyncDisposableStack();
  let host: HttpsHost;
  let answer: { readonly status: number; readonly body: string };

  before(async () => {
    host = resources.use(
      await HttpsHost.start(["api.github.com"], (_request, response) => {
        response.writeHead(answer.status).end(answer.body);
      }),
    );
  });
  beforeEach(() => {
    answer = { status: 200, body: JSON.stringify(TREE) };
    host.seen.splice(0);
  });
  after(() => resources.disposeAsync());

  const open = ({ path = "", cacheMs = 60_000, githubToken = "token" } = {}) => {
    const repository = parseRunbookRepository(`https://www.github.com:${host.port}/acme/runbooks${path}`);
    if (typeof repository === "string") throw new Error(repository);
    const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    const network = { resolve, isBlocked: () => false, ca: host.ca };
    return new RunbookList({ settings: { repository, cacheMs, githubToken }, log, network });
  };
  const pages = (revision: string, paths: readonly string[]) =>
    paths.map((path) => `https://github.com:${host.port}/acme/runbooks/blob/${revision}/${path}`);

  it("has the pages of all Markdown files below a directory of a branch", async () => {
    expect(await open({ path: "/tree/main/alerts/" }).read(signal)).to.deep.equal(
      pages("main", ["alerts/db/LOCKS.MD", "alerts/disk%20full.md"]),
    );
    expect(host.seen).to.deep.equal([
      {
        host: `api.github.com:${host.port}`,
        path: "/repos/acme/runbooks/git/trees/main?recursive=1",
        authorization: "Bearer token",
      },
    ]);
  });

  it("has those of the whole repository, asked for without a token if there is none", async () => {
    expect(await open({ githubToken: "" }).read(signal)).to.deep.equal(
      pages("HEAD", ["README.md", "alerts-old/a.md", "alerts/db/LOCKS.MD", "alerts/disk%20full.md"]),
    );
    expect(host.seen[0]?.authorization).to.equal(undefined);
  });

  it("is asked for once in the time that a list is used, by any number of readers", async () => {
    const list = open();
    const [first, second] = await Promise.all([list.read(signal), list.read(signal)]);
    expect(second).to.deep.equal(first).and.to.have.length(4);
    await list.read(signal);
    expect(host.seen).to.have.length(1);
  });

  it("keeps the last list while the host answers with something else, and is empty before the first one", async () => {
    const list = open({ cacheMs: 0 });
    for (const wrong of [
      { status: 500, body: "{}" },
      { status: 200, body: "<html>" },
      { status: 200, body: '{"tree": {}}' },
    ]) {
      answer = wrong;
      expect(await list.read(signal), wrong.body).to.deep.equal([]);
    }
    answer = { status: 200, body: JSON.stringify(TREE) };
    expect(await list.read(signal)).to.have.length(4);
    answer = { status: 403, body: "rate limit" };
    expect(await list.read(signal)).to.have.length(4);
  });

  it("is at most 1,000 long", async () => {
    const tree = Array.from({ length: 1_500 }, (_, index) => ({ path: `${index}.md`, type: "blob" }));
    answer = { status: 200, body: JSON.stringify({ tree }) };
    expect(await open().read(signal)).to.have.length(1_000);
  });

  it("is empty without an address in the configuration", async () => {
    expect(await new RunbookList({ settings: undefined, log }).read(signal)).to.deep.equal([]);
  });
});
