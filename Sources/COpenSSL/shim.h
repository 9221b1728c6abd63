#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/* Macros with casts in them, which Swift does not import. */
static inline int carillon_tls_require_1_2(SSL_CTX *context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}
static inline void carillon_tls_save_memory(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}
static inline int carillon_tls_server_name(SSL *connection, const char *name) {
  return SSL_set_tlsext_host_name(connection, name);
}
