import { expect } from "chai";
import { withholdVariables } from "../config.ts";

describe("withholdVariables", () => {
  it("removes what an SDK would read, returns what is worth a warning, and leaves the rest", () => {
    const env = {
      PATH: "/bin",
      HTTPS_PROXY: "http://proxy",
      GOOGLE_APPLICATION_CREDENTIALS: "/key.json",
      GOOGLE_CLOUD_PROJECT: "p",
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: "http://elsewhere",
      LANGSMITH_TRACING: "true",
      LANGCHAIN_PROJECT: "mine",
    };
    expect(withholdVariables(env, ["LANGCHAIN_PROJECT"])).to.deep.equal([
      "LANGSMITH_TRACING",
      "OPENAI_BASE_URL",
    ]);
    expect(env).to.have.all.keys(
      "PATH",
      "HTTPS_PROXY",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "GOOGLE_CLOUD_PROJECT",
      "LANGCHAIN_PROJECT",
    );
  });
});
