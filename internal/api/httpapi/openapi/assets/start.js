// Renders the API reference. All features that contact other servers are off; the Content-Security-Policy forbids them,
// too.
Scalar.createApiReference('#reference', {
  url: document.getElementById('reference').dataset.document,
  theme: 'default',
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: 'bearer' },
  persistAuth: false,
  documentDownloadType: 'none', // the introduction links /openapi.json; this one lacks examples
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  defaultOpenAllTags: true,
  expandAllResponses: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});
