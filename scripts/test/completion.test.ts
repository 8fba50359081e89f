import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { tarsyHere } from "./tarsy-here.ts";

describe("npm run tarsy -- completion", () => {
  it("completes commands and options in bash", async () => {
    const script = (await tarsyHere(["completion", "bash"], {})).out;
    const complete = async (...words: readonly string[]) => {
      const bash = spawn("bash", [
        "--norc",
        "-c",
        `${script}
COMP_WORDS=(tarsy ${words.join(" ")}); COMP_CWORD=${words.length}; _tarsy; echo "\${COMPREPLY[@]}"`,
      ]);
      let out = "";
      bash.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      await once(bash, "close");
      return out.trim();
    };
    expect(await complete("can")).to.equal("cancel");
    expect(await complete("show", "--br")).to.equal("--brief");
    expect(await complete("config", "ch")).to.equal("check");
    expect((await tarsyHere(["completion", "zsh"], {})).out)
      .to.include("bashcompinit")
      .and.include("_tarsy");
    expect((await tarsyHere(["completion", "fish"], {})).out).to.include("-f -a cancel -d");
  });
});
