/** As dates are written on the wire; null for what has not happened, or never ends. */
export function isoDate(milliseconds: number): string;
export function isoDate(milliseconds: number | null): string | null;
export function isoDate(milliseconds: number | null): string | null {
	return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
