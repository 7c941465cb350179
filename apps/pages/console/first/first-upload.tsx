import type { App } from "@svc/sdk/shapes";
import { FileForm } from "../images/file-form.tsx";
import { Several } from "../images/several.tsx";
import type { ConsoleVisit, Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";

interface FirstUploadProps {
	readonly visit: ConsoleVisit;
	readonly app: Pick<App, "id">;
	readonly refused?: Refused | undefined;
}

/** In an App without a picture: the form that takes the first one, which is then shown in all its forms. */
export function FirstUpload({ visit, app, refused }: FirstUploadProps) {
	return (
		<div className="first-upload">
			<FileForm
				visit={visit}
				act="upload"
				action={`/console/${app.id}/upload`}
				query="first=1"
				label={t("first.image")}
				submit={t("upload.do")}
				look="primary"
				open
				about={t("first.image.about")}
				refused={refused}
			>
				<Several list={`/console/${app.id}/images`} leads />
			</FileForm>
		</div>
	);
}
