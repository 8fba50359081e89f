import { expect } from "chai";
import { LaunchError } from "../launch-error.ts";
import { parseCommandLine } from "../command-line.ts";

describe("parseCommandLine", () => {
  it("runs one executor on the existing data by default", () => {
    expect(parseCommandLine([])).to.deep.equal({
      reset: false,
      private: false,
      dev: false,
      sources: false,
      executors: 1,
      configDir: undefined,
      localModel: undefined,
    });
  });

  it("reads every option", () => {
    expect(
      parseCommandLine(["--reset", "--private", "--dev", "--executors", "3", "--config-dir", "my/config"]),
    ).to.deep.equal({
      reset: true,
      private: true,
      dev: true,
      sources: true,
      executors: 3,
      configDir: "my/config",
      localModel: undefined,
    });
  });

  it("reads which local model answers", () => {
    const url = "http://localhost:8080/v1";
    for (const [args, localModel] of [
      [["--ollama", "qwen3:8b"], { server: "ollama", model: "qwen3:8b" }],
      [["--llm-url", url], { server: "url", url, model: undefined }],
      [["--llm-url", url, "--model", "m"], { server: "url", url, model: "m" }],
    ] as const) {
      expect(parseCommandLine(args).localModel).to.deep.equal(localModel);
    }
  });

  for (const [args, words] of [
    [["--fast"], "--fast"],
    [["--excutors", "2"], "did you mean --executors; npm start"],
    [["surprise"], "surprise"],
    [["--executors", "0"], "--executors"],
    [["--executors", "two"], "--executors"],
    [["--executors"], "--executors"],
    [["--config-dir", ""], "--config-dir"],
    [["--ollama", ""], "--ollama"],
    [["--model", "m"], "--llm-url"],
    [["--ollama", "m", "--llm-url", "http://h/v1"], "together"],
    [["--ollama", "m", "--config-dir", "d"], "together"],
    [["--llm-url", "localhost:8080"], "http or https"],
  ] as const) {
    it(`refuses "${args.join(" ")}" with one sentence and exit code 2`, () => {
      try {
        parseCommandLine(args);
        expect.fail("it was accepted");
      } catch (error) {
        expect(error).to.be.instanceOf(LaunchError).with.property("exitCode", 2);
        expect(error).to.have.property("message").that.includes(words).and.does.not.include("\n");
      }
    });
  }
});
