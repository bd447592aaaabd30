import { serve } from "./serve.js";

const answer = serve((message) => self.postMessage(message));
self.onmessage = ({ data }) => answer(data);
