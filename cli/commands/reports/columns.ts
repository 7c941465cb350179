import type { Report } from "@svc/sdk/management-types";
import type { Column } from "../../table.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const REPORT_COLUMNS: readonly Column<Report>[] = [
	{ name: "id", value: (report) => report.id },
	{ name: "image", value: (report) => report.image_id },
	{ name: "app", value: (report) => report.app_id },
	{ name: "reason", value: (report) => report.reason },
	{ name: "outcome", value: (report) => report.outcome ?? "open" },
	{ name: "created_at", value: (report) => report.created_at },
	{ name: "email", value: (report) => report.email, shrinks: true },
	{ name: "note", value: (report) => report.note, shrinks: true },
];
