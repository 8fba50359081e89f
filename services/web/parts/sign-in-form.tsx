import { useState } from "preact/hooks";
import { decline, isForApproval } from "../api/ask-to-sign-in.ts";
import { failureText } from "../api/client.ts";
import { signIn } from "../api/sign-in.ts";
import { TEXT } from "../text.ts";
import { useModal } from "./use-modal.ts";
import "./sign-in-form.css";

const { signIn: texts } = TEXT;

/** Asks for a token, over the screen that wants it: nothing that the reader has written there is lost. */
export function SignInForm({ why }: { readonly why: string }) {
  const dialog = useModal();
  const forApproval = isForApproval.value;
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
    <dialog
      ref={dialog}
      class={`sign-in ${forApproval ? "for-approval" : ""}`}
      aria-labelledby="sign-in-title"
      onCancel={decline}
    >
      <form
        class="sign-in-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h2 id="sign-in-title">{forApproval ? texts.approvalTitle : texts.title}</h2>
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
          <button type="button" class="button plain" onClick={decline}>
            {texts.cancel}
          </button>
          <button type="button" class="button plain" onClick={() => location.reload()}>
            {TEXT.app.reload}
          </button>
        </div>
      </form>
    </dialog>
  );
}
