const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f55c4"/><path d="M3 10h10M4 10v3M12 10v3M6 10V5h4v5" stroke="#fff" stroke-width="1.6" fill="none"/></svg>`;

/** Gives the page its icon, a picture in the address of the link. */
export function addIcon(): void {
  const link = document.createElement("link");
  link.rel = "icon";
  link.href = `data:image/svg+xml,${encodeURIComponent(ICON)}`;
  document.head.append(link);
}
