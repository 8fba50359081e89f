import { expect } from "chai";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findDebianMirror } from "../debian/debian-mirror.ts";

const bookworm = 'PRETTY_NAME="Debian GNU/Linux 12"\nVERSION_CODENAME=bookworm\nID=debian\n';

describe("findDebianMirror", () => {
  let etc = "";
  beforeEach(() => {
    etc = mkdtempSync(join(tmpdir(), "tarsy-etc-"));
    mkdirSync(join(etc, "apt/sources.list.d"), { recursive: true });
    writeFileSync(join(etc, "os-release"), bookworm);
  });
  afterEach(() => rmSync(etc, { recursive: true }));
  const write = (name: string, text: string): void => writeFileSync(join(etc, "apt", name), text);

  it("reads the deb822 form and skips other repositories", () => {
    write("sources.list.d/another.list", "deb [signed-by=/k.gpg] http://other.test/apt sdk-bookworm main\n");
    write(
      "sources.list.d/debian.sources",
      "Types: deb\nURIs: http://mirror.test/security\nSuites: bookworm-security\nComponents: main\n\n# ours\nTypes: deb deb-src\n# snapshot\nURIs:\n http://mirror.test/debian\nSuites: bookworm bookworm-updates\nComponents: main contrib\nSigned-By: /usr/share/keyrings/own.gpg\n",
    );
    expect(findDebianMirror(etc)).to.deep.equal({
      uri: "http://mirror.test/debian",
      keyring: "/usr/share/keyrings/own.gpg",
      release: "bookworm",
    });
  });

  it("reads the one-line form with and without options", () => {
    write(
      "sources.list",
      "# deb http://no.test/debian bookworm main\ndeb [ arch=amd64 signed-by=/own.gpg ] http://mirror.test/debian bookworm main # here\n",
    );
    expect(findDebianMirror(etc)).to.deep.equal({
      uri: "http://mirror.test/debian",
      keyring: "/own.gpg",
      release: "bookworm",
    });
    write("sources.list", "deb http://plain.test/debian/ stable main contrib\n");
    expect(findDebianMirror(etc)).to.have.property("uri", "http://plain.test/debian/");
  });

  it("skips disabled and source-only entries", () => {
    write(
      "sources.list.d/debian.sources",
      "Types: deb-src\nURIs: http://a.test\nSuites: bookworm\nComponents: main\n\nEnabled: no\nTypes: deb\nURIs: http://b.test\nSuites: bookworm\nComponents: main\n",
    );
    expect(() => findDebianMirror(etc)).to.throw("no Debian mirror");
  });

  it("reports a machine that is not Debian", () => {
    writeFileSync(join(etc, "os-release"), "ID=fedora\nID_LIKE=debian\n");
    expect(() => findDebianMirror(etc)).to.throw("does not run Debian");
  });
});
