import { formNumber, TOKEN_FIELD } from "../../kit/form.ts";
import { Alert } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import type { ConsoleVisit, Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";

const TYPES = "image/*,.heic,.heif,.avif,.jxl,.tif,.tiff,.bmp,.ico,.svg";

interface FileFormProps {
	readonly visit: ConsoleVisit;
	readonly act: string;
	/** The path that takes the file, and the rest of its query. */
	readonly action: string;
	readonly query: string;
	readonly label: Text;
	readonly submit: Text;
	readonly look: string;
	/** Whether the form stands there at once, and not behind its button. */
	readonly open?: boolean;
	/** What stands above a form that is open. */
	readonly about?: Text;
	readonly refused: Refused | undefined;
	readonly children?: React.ReactNode;
}

/** A form for one file. The token is in the address: the body is the API's own form. */
export function FileForm({
	visit,
	act,
	action,
	query,
	label,
	submit,
	look,
	open = false,
	about,
	refused,
	children,
}: FileFormProps) {
	const own = new URLSearchParams(query);
	own.set(TOKEN_FIELD, visit.token);
	own.set("number", formNumber());
	const isRefused = refused?.act === act;
	const letter = act === "upload" ? "u" : undefined;
	const form = (
		<div className="stack">
			{isRefused && <Alert answers>{refused.error.message}</Alert>}
			<form method="post" encType="multipart/form-data" action={`${action}?${own}`}>
				<label htmlFor={act}>{t("upload.file")}</label>
				<input id={act} type="file" name="file" required accept={TYPES} data-keys={open ? letter : undefined} />
				{children}
				<button className="primary" type="submit">
					{submit}
				</button>
			</form>
		</div>
	);
	if (open) {
		return (
			<div className="stack">
				<h2>{label}</h2>
				{about && <p>{about}</p>}
				{form}
			</div>
		);
	}
	return (
		<details className="ask" open={isRefused}>
			<summary className={`button ${look}`} data-keys={letter}>
				{label}
			</summary>
			{form}
		</details>
	);
}
