import { expect } from "chai";
import { isRunbookAddress, runbookAddress } from "#shared/runbooks/runbook-address.ts";

const HOSTS = ["github.com", "raw.githubusercontent.com", "gitlab.example:8443"];
const resolved = (runbook: string) => {
  const address = runbookAddress(runbook, HOSTS);
  return "urls" in address ? (address.urls[0]?.href ?? "") : address.problem;
};

describe("runbookAddress", () => {
  it("turns pages of files into the files", () => {
    const file = "https://raw.githubusercontent.com/o/r/main/alerts/disk.md";
    expect(resolved("https://github.com/o/r/blob/main/alerts/disk.md")).to.equal(file);
    expect(resolved("https://www.GitHub.com/o/r/blob/main/alerts/disk.md?plain=1")).to.equal(file);
    expect(resolved(` ${file} `)).to.equal(file);
    expect(resolved("https://gitlab.example:8443/g/p/-/blob/main/a.md")).to.equal(
      "https://gitlab.example:8443/g/p/-/raw/main/a.md",
    );
    for (const kind of ["edit", "blame", "raw"]) {
      expect(resolved(`https://github.com/o/r/${kind}/main/alerts/disk.md#L3`)).to.equal(file);
    }
    const wiki = "https://raw.githubusercontent.com/wiki/o/r/";
    expect(resolved("https://github.com/o/r/wiki/Disk-full")).to.equal(`${wiki}Disk-full.md`);
    expect(resolved("https://github.com/o/r/wiki")).to.equal(`${wiki}Home.md`);
    expect(resolved("https://github.com/o/r")).to.equal("https://github.com/o/r");
  });

  it("does so on any other host, and keeps the address as the last place", () => {
    const hosts = ["git.example"];
    for (const [page, ...files] of [
      ["/o/r/blob/main/a.md", "/o/r/raw/main/a.md"],
      ["/o/r/edit/main/a.md", "/o/r/raw/main/a.md"],
      ["/o/r/blame/main/b/a.md", "/o/r/raw/main/b/a.md"],
      ["/g/sub/p/blob/main/a.md", "/g/sub/p/raw/main/a.md"],
      ["/g/sub/p/-/edit/main/a.md", "/g/sub/p/-/raw/main/a.md"],
      ["/o/r/src/branch/main/a.md", "/o/r/raw/branch/main/a.md"],
      ["/o/r/src/abc123/a.md?at=main", "/o/r/raw/abc123/a.md?at=main"],
      ["/projects/P/repos/r/browse/a.md?at=main", "/projects/P/repos/r/raw/a.md?at=main"],
      ["/o/r/wiki/Disk", "/raw/wiki/o/r/Disk.md", "/o/r/wiki/raw/Disk.md"],
      ["/o/r/raw/main/a.md"],
      ["/docs/disk.md"],
    ] as const) {
      const address = runbookAddress(`https://git.example${page}`, hosts);
      const places =
        "urls" in address ? address.urls.map(({ href }) => href.slice("https://git.example".length)) : [];
      expect(places, page).to.deep.equal([...files, page]);
    }
  });

  it("says what is wrong with any other", () => {
    for (const [runbook, problem] of [
      ["http://github.com/a", "must use https"],
      ["ftp://github.com/a", "must be an http or https address"],
      ["https://ann@github.com/a", "must not have a user name"],
      ["https://github.com@evil.example/a", "must not have a user name"],
      ["https://evil.example/a", "its host evil.example is not allowed; allowed: github.com, raw"],
      ["https://github.com.evil.example/a", "is not allowed"],
      ["https://github.com:8443/a", "its host github.com:8443 is not allowed"],
      ["https://gitlab.example/a", "is not allowed"],
      ["https://2852039166/latest", "its host 169.254.169.254 is not allowed"],
    ] as const) {
      expect(resolved(runbook), runbook).to.include(problem);
    }
  });

  it("knows addresses from texts", () => {
    expect(["https://a.b/c", " HTTP://a.b "].every(isRunbookAddress)).to.equal(true);
    expect(["# A", "see https://a.b/c", "https://", "ftp://a.b"].some(isRunbookAddress)).to.equal(false);
  });
});
