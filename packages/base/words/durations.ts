const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Whole seconds, or a number with a unit such as `90d`; undefined for anything else. */
export function durationSeconds(sent: string | number): number | undefined {
	const match = /^(\d{1,9})([smhd]?)$/.exec(String(sent));
	return match ? Number(match[1]) * SECONDS[(match[2] || "s") as keyof typeof SECONDS] : undefined;
}
