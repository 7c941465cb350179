import { existsSync } from "node:fs";
import { isLoopbackUrl } from "@svc/base/http/same-machine";
import type { Operator } from "@svc/operator/room";
import { issueTicket } from "@svc/people/sign-in/console-tickets";
import type { Config } from "./config/config.ts";

const LIFE_SECONDS = 600;
const IN_CONTAINER = ["/.dockerenv", "/run/.containerenv"];

type Settings = Pick<Config, "webUrl" | "cdnUrl" | "mode" | "bootstrapSecret">;

/**
 * How the first operator comes into the console, as one line to print and what belongs under it; undefined once they have signed in, and where an
 * address must not be printed that signs somebody in. Each start makes another ticket.
 * @param env of this process: a terminal that is far away says so
 */
export async function consoleLines(
	{ webUrl, cdnUrl, mode, bootstrapSecret }: Settings,
	{ setup, people }: Pick<Operator, "setup" | "people">,
	env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[] | undefined> {
	const first = bootstrapSecret === undefined ? await setup.findFirstOperator() : undefined;
	if (!first || first.verified) return undefined;
	const page = `${webUrl}/console`;
	const signIn = `sign in there as ${first.email}`;
	if (!isLoopbackUrl(webUrl)) return mode === "test" ? [page, `(${signIn})`] : undefined;
	const { ticket } = await issueTicket(people, first, { seconds: LIFE_SECONDS, reach: "here" });
	const line = `${page}?start=${ticket}`;
	if (IN_CONTAINER.some((path) => existsSync(path)))
		return [line, `(from outside of this container: ${page}, and ${signIn})`];
	const ports = [webUrl, cdnUrl].map((url) => new URL(url).port || "80");
	const tunnel = ports.map((port) => `-L ${port}:localhost:${port}`).join(" ");
	return env.SSH_CONNECTION ? [line, `(on your own machine first: ssh ${tunnel} <this machine>)`] : [line];
}
