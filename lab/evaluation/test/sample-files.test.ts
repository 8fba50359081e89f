import { expect } from "chai";
import { sampleFiles } from "../suite/sample-files.ts";

const DIRECTORY = "/suite";
const files = ["network", "storage", "access"].flatMap((category, n) =>
  Array.from({ length: [60, 30, 10][n] ?? 0 }, (_, at) => `${DIRECTORY}/worlds/${category}/${at}.world.json`),
);
const sample = (
  options: Partial<Parameters<typeof sampleFiles>[2]> = {},
  of = files,
  directory = DIRECTORY,
) => [...sampleFiles(of, directory, { size: 20, seed: 7, isByFolder: true, ...options })];
const categories = (drawn: readonly string[]) =>
  ["network", "storage", "access"].map((name) => drawn.filter((file) => file.includes(`/${name}/`)).length);

describe("sampleFiles", () => {
  it("draws from each folder in proportion to its files", () => {
    expect(categories(sample())).to.deep.equal([12, 6, 2]);
    expect(categories(sample({ size: 10, seed: 8 }))).to.deep.equal([6, 3, 1]);
    expect(sample({ size: 1_000 })).to.have.length(100);
  });

  it("draws the same for an equal seed, in any order of the files and wherever they are", () => {
    expect(sample({}, files.toReversed()).toSorted()).to.deep.equal(sample().toSorted());
    const moved = files.map((file) => file.replace(DIRECTORY, "/elsewhere"));
    const drawn = sample({}, moved, "/elsewhere").map((file) => file.replace("/elsewhere", DIRECTORY));
    expect(drawn.toSorted()).to.deep.equal(sample().toSorted());
    expect(sample({ seed: 8 }).toSorted()).to.not.deep.equal(sample().toSorted());
  });

  it("draws from all files alike if folders do not count", () => {
    const drawn = sample({ isByFolder: false });
    expect(drawn).to.have.length(20);
    expect(categories(drawn)).to.not.deep.equal([12, 6, 2]);
  });
});
