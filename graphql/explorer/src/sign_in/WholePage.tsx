// The way from a frame to the whole page, in a tab of its own.
import { useAddress } from "../page/address";
import { useWords } from "../words/words";

export function WholePage() {
  useAddress();
  return (
    <a className="whole-page" href={`/${location.search}`} target="_blank" rel="noopener">
      {useWords().runs.signIn.openPage}
    </a>
  );
}
