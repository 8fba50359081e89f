import { useRoute } from "preact-iso/router";
import { api } from "../../api/client.ts";
import { RemoteState } from "../../parts/remote-state.tsx";
import { useRemote } from "../../parts/use-remote.ts";
import { useTitle } from "../../parts/use-title.ts";
import { TEXT } from "../../text.ts";
import { ChooseOther, OtherForm } from "./choose-other.tsx";
import { COMPARE_TEXT } from "./compare-text.ts";
import { Conclusions } from "./conclusions.tsx";
import { Divergence } from "./divergence.tsx";
import { Figures } from "./figures.tsx";
import { StepLists } from "./step-lists.tsx";
import "./compare-screen.css";

/** Two sessions side by side: `/compare/A/B`; `/compare/A` asks for the other one, and `/compare` for one to begin with. */
export function CompareScreen() {
  useTitle(TEXT.titles.compare);
  const { params } = useRoute();
  const { a = "", b = "" } = params;
  return (
    <div class="compare-screen">
      <header class="compare-header">
        <h1>{COMPARE_TEXT.title}</h1>
        {b !== "" && (
          <nav class="compare-links" aria-label={COMPARE_TEXT.title}>
            <a class="button" href={`/compare/${b}/${a}`}>
              {COMPARE_TEXT.swap}
            </a>
            <a class="button" href={`/compare/${a}`}>
              {COMPARE_TEXT.another}
            </a>
          </nav>
        )}
      </header>
      {a === "" && <OtherForm />}
      {a !== "" && b === "" && <ChooseOther key={a} id={a} />}
      {b !== "" && <OneComparison key={`${a} ${b}`} a={a} b={b} />}
    </div>
  );
}

function OneComparison({ a, b }: { readonly a: string; readonly b: string }) {
  const remote = useRemote(`${a} ${b}`, async (signal) =>
    api.call("GET /api/v1/sessions/:id/comparison", { params: { id: a }, query: { with: b }, signal }),
  );
  const { value } = remote;
  return (
    <>
      <RemoteState remote={remote} />
      {value !== undefined && (
        <>
          <Conclusions comparison={value} />
          <Figures comparison={value} />
          <Divergence comparison={value} />
          <StepLists comparison={value} />
        </>
      )}
    </>
  );
}
