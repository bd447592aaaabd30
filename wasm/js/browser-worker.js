import { serve } from "./serve.js";
import * as storage from "./storage.js";

const answer = serve((message) => self.postMessage(message), { storage });
self.onmessage = ({ data }) => answer(data);
