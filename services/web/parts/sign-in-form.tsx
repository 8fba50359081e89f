import { useState } from "preact/hooks";
import { decline, signInKind } from "../api/ask-to-sign-in.ts";
import { failureText } from "../api/client.ts";
import { signIn } from "../api/sign-in.ts";
import { RARE_TEXT } from "../screens/rare-text.ts";
import { TEXT } from "../text.ts";
import { useModal } from "./use-modal.ts";
import "./sign-in-form.css";

const { signIn: texts } = RARE_TEXT;

interface SignInFormProps {
  readonly why: string;
}

/** Asks the reader to sign in, over the screen that wants it: nothing that the reader has written there is lost. */
export function SignInForm({ why }: SignInFormProps) {
  const dialog = useModal();
  const kind = signInKind.value;
  const forApproval = kind === "approval";
  return (
    <dialog
      ref={dialog}
      class={`sign-in ${forApproval ? "for-approval" : ""}`}
      aria-labelledby="sign-in-title"
      onCancel={decline}
    >
      <div class="sign-in-form">
        <h2 id="sign-in-title">{forApproval ? texts.approvalTitle : texts.title}</h2>
        {kind === "provider" || kind === "again" ? (
          <ProviderLink why={why} isAgain={kind === "again"} />
        ) : (
          <TokenForm why={why} />
        )}
      </div>
    </dialog>
  );
}

/** The way to the identity provider. It leads back to this screen; a screen that was in use stays, and the provider gets a tab of its own. With a target the page's router leaves the link alone. */
function ProviderLink({ why, isAgain }: SignInFormProps & { readonly isAgain: boolean }) {
  const to = encodeURIComponent(location.pathname + location.search);
  return (
    <>
      <p class="soft">{isAgain ? texts.againHint : texts.providerHint}</p>
      <p role="alert">{why}</p>
      <div class="sign-in-buttons">
        <a class="button primary" href={`/api/v1/auth/login?to=${to}`} target={isAgain ? "_blank" : "_top"}>
          {texts.submit}
        </a>
        <NotNow />
      </div>
    </>
  );
}

/** Takes a token or an API key. */
function TokenForm({ why }: SignInFormProps) {
  const [token, setToken] = useState("");
  const [failure, setFailure] = useState(why);
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    try {
      await signIn(token.trim());
    } catch (error) {
      setFailure(failureText(error));
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <p class="soft">{texts.hint}</p>
      <label for="sign-in-token">{texts.token}</label>
      <input
        id="sign-in-token"
        type="password"
        autocomplete="current-password"
        required
        value={token}
        aria-describedby="sign-in-failure"
        onInput={(event) => setToken(event.currentTarget.value)}
      />
      <p id="sign-in-failure" role="alert">
        {failure}
      </p>
      <div class="sign-in-buttons">
        <button type="submit" class="button primary" disabled={isBusy}>
          {texts.submit}
        </button>
        <NotNow />
        <button type="button" class="button plain" onClick={() => location.reload()}>
          {TEXT.app.reload}
        </button>
      </div>
    </form>
  );
}

function NotNow() {
  return (
    <button type="button" class="button plain" onClick={decline}>
      {texts.cancel}
    </button>
  );
}
