import { expect } from "chai";
import { TYPE_SETTINGS, hashProvider, type HashedProvider } from "#shared/contracts/provider-hash.ts";

const ENTRY: HashedProvider = {
  type: "openai",
  model: "gpt-4o",
  api_key_env: "KEY",
  base_url: "https://user:pass@llm.example.com/v1?key=secret",
  max_tool_result_tokens: 8_000,
  native_tools: { a: true, b: false },
};

describe("the hash of a provider's entry", () => {
  it("does not depend on the order of keys, on other keys, or on where a secret may be", () => {
    const reordered = Object.fromEntries(Object.entries(ENTRY).toReversed());
    const same: HashedProvider = {
      ...ENTRY,
      ...reordered,
      native_tools: { b: false, a: true },
      base_url: "https://llm.example.com/v1?key=other",
    };
    expect(hashProvider(same)).to.equal(hashProvider(ENTRY));
    const longer = { ...ENTRY, name: "x", project_env: "P" };
    expect(hashProvider(longer)).to.equal(hashProvider(ENTRY));
    const { native_tools: _tools, ...without } = ENTRY;
    expect(hashProvider({ ...without, native_tools: {} })).to.equal(hashProvider(without));
  });

  it("is the one that stored configurations have, in every version", () => {
    expect(hashProvider(ENTRY)).to.equal("3144961be6057f15780af4154c5b130df10ef4e311c756e403ce0fda5a59a70b");
  });

  it("changes with every part of an entry", () => {
    const changes: Partial<HashedProvider>[] = [
      { type: "xai" },
      { model: "gpt-5" },
      { api_key_env: "OTHER" },
      { credentials_env: "KEY" },
      { project: "p" },
      { location: "eu" },
      { base_url: "https://llm.example.com/v2" },
      { base_url: "http://llm.example.com/v1" },
      { base_url: "https://llm.example.com:8443/v1" },
      { script: "s.yaml" },
      { max_tool_result_tokens: 9_000 },
      { native_tools: { a: true, b: true } },
      ...TYPE_SETTINGS.map((key) => ({ [key]: key === "machine_credentials" ? true : "x" })),
    ];
    const hashes = changes.map((change) => hashProvider({ ...ENTRY, ...change }));
    expect(new Set([...hashes, hashProvider(ENTRY)])).to.have.property("size", changes.length + 1);
  });
});
