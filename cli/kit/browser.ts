import { spawn } from "node:child_process";
import process from "node:process";
import type { Context } from "./command.ts";
import type { Process } from "./process.ts";

type Environment = Process["env"];

/** The program that opens an address, with its arguments; undefined where there is no screen to open it on. */
export function browserCommand(
	platform: string,
	env: Environment,
	url: string,
): readonly [string, ...string[]] | undefined {
	if (platform === "darwin") return ["open", url];
	// `start` belongs to cmd.exe, which would take the & of an address for the end of a command.
	if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
	const hasScreen = [env.DISPLAY, env.WAYLAND_DISPLAY, env.WSL_DISTRO_NAME].some((value) => value);
	return hasScreen ? ["xdg-open", url] : undefined;
}

/** Opens an address in the person's browser and does not wait for it. Whether there is one. */
export function browse(url: string, env: Environment): Promise<boolean> {
	const [program, ...args] = (isWebAddress(url) && browserCommand(process.platform, env, url)) || [];
	if (program === undefined) return Promise.resolve(false);
	return new Promise((resolve) => {
		const child = spawn(program, args, { stdio: "ignore", detached: true });
		child.on("error", () => resolve(false));
		child.on("spawn", () => {
			child.unref();
			resolve(true);
		});
	});
}

/** Anything but a web address would be handed to whatever program claims it. */
function isWebAddress(url: string): boolean {
	return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** Opens an address in a browser; says so where there is none, since the address was printed already. */
export async function openAddress({ process, out }: Context, url: string): Promise<void> {
	if (!(await process.browse(url))) await out.note("There is no browser here: open the address yourself.");
}
