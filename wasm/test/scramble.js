// The script of pages that load the package from another origin: makes one scramble and reports it.

import { createScrambler } from "../js/browser.js";

report(await (await createScrambler()).scramble());
