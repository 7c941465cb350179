import { env } from "node:process";

/* Whether the process in this container answers, for the container's own health check. Not whether it is ready: with its database or its
   bucket away it is not, and another start would not help. Balancers ask /readyz. */

const { SVC_LISTEN, PORT = "3000" } = env;
const [first = ""] = (SVC_LISTEN ?? `0.0.0.0:${PORT}`).split(",");
const answer = await fetch(`http://127.0.0.1:${first.slice(first.lastIndexOf(":") + 1)}/healthz`).catch(
	() => undefined,
);
process.exitCode = answer?.ok ? 0 : 1;
