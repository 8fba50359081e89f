import { expect } from "chai";
import { junitXml } from "#shared/junit-xml.ts";

describe("JUnit's XML", () => {
  it("counts tests by how they ended, and lets no text out of its place", () => {
    const hostile = `"/><testcase>\u0000 & ]]>`;
    const xml = junitXml("run", [
      {
        name: "one",
        cases: [
          { className: "c", name: "a", seconds: 1.25, outcome: { kind: "passed" } },
          {
            className: "c",
            name: hostile,
            seconds: 0.5,
            outcome: { kind: "failure", message: "m", text: hostile },
          },
        ],
      },
      {
        name: "two",
        cases: [
          { className: "c", name: "b", seconds: 0, outcome: { kind: "error", message: hostile } },
          {
            className: "c",
            name: "d",
            seconds: 0,
            outcome: { kind: "skipped", message: "the run ended before" },
          },
        ],
      },
    ]);
    const shown = "&quot;/&gt;&lt;testcase&gt;\uFFFD &amp; ]]&gt;";
    expect(xml.split("\n")).to.deep.equal([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="run" tests="4" failures="1" errors="1" skipped="1" time="1.750">',
      '<testsuite name="one" tests="2" failures="1" errors="0" skipped="0" time="1.750">',
      '<testcase classname="c" name="a" time="1.250"></testcase>',
      `<testcase classname="c" name="${shown}" time="0.500"><failure message="m">${shown}</failure></testcase>`,
      "</testsuite>",
      '<testsuite name="two" tests="2" failures="0" errors="1" skipped="1" time="0.000">',
      `<testcase classname="c" name="b" time="0.000"><error message="${shown}"></error></testcase>`,
      '<testcase classname="c" name="d" time="0.000"><skipped message="the run ended before"/></testcase>',
      "</testsuite>",
      "</testsuites>",
      "",
    ]);
  });
});
