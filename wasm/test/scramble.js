// The script of pages that load the package from another origin: makes one scramble and reports it.

import { createScrambler } from "../js/browser.js";

const failed = (error) => ({ failed: String(error) });
const report = await createScrambler().then((scrambler) => scrambler.scramble()).catch(failed);
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
