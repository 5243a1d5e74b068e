// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/host/download.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <thread>

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <strings.h>
#include <unistd.h>

#include "kernel/core/version.h"
#include "userspace/format/file_descriptor.h"
#include "userspace/format/temporary_file.h"
#include "userspace/host/loaded_library.h"

namespace btf_extra::host {
namespace {

constexpr int kAttempts = 4;  // in a row that bring nothing new
constexpr long kConnectSeconds = 30, kSilentSeconds = 60;
constexpr std::chrono::milliseconds kFirstPause(100);

struct Functions {
    decltype(curl_global_init) *global_init;
    decltype(curl_easy_init) *init;
    decltype(curl_easy_cleanup) *cleanup;
    decltype(curl_easy_setopt) *setopt;
    decltype(curl_easy_getinfo) *getinfo;
    decltype(curl_easy_perform) *perform;
    decltype(curl_easy_strerror) *strerror;
};

// Consumes bytes; false: stop the transfer.
using Take = std::function<bool(std::span<const std::byte> bytes)>;

size_t take_bytes(char *bytes, size_t one, size_t count, void *take) {
    const auto got = std::as_bytes(std::span(bytes, one * count));
    return (*static_cast<Take *>(take))(got) ? got.size() : CURL_WRITEFUNC_ERROR;
}

// The connection was there, and went.
bool is_cut_off(CURLcode code) {
    switch (code) {
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return true;
    default:
        return false;
    }
}

// There was no connection. Where there was one before, there may be one again.
bool is_unreachable(CURLcode code) {
    return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
           code == CURLE_OPERATION_TIMEDOUT;
}

class CurlDownload final : public Download {
  public:
    CurlDownload(const Functions &functions, CURL *curl) : curl_(curl), functions_(functions) {}
    ~CurlDownload() override { functions_.cleanup(curl_); }

    Result<std::string> text(const std::string &url, uint64_t max_size) override {
        std::string out;
        bool too_long = false;
        const Take take = [&](std::span<const std::byte> bytes) {
            out.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
            too_long = out.size() > max_size;
            return !too_long;
        };
        CURLcode code = CURLE_OK;
        for (int i = 0; i < kAttempts; i++) {
            out.clear();
            code = perform(url, 0, take);
            if (!is_cut_off(code))
                break;
            pause(i);
        }
        if (too_long)
            return Error{fmt::format("{}: more than {} bytes", url, max_size)};
        if (code != CURLE_OK)
            return error(url, code);
        return out;
    }

    Result<void> file(const std::string &url, const std::string &path, uint64_t size,
                      const std::function<void(uint64_t done)> &progress) override {
        const FileDescriptor fd(
            ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        if (!fd)
            return write_error(path, errno);
        uint64_t done = 0, most = 0;
        int write_code = 0;
        bool too_long = false;
        const Take take = [&](std::span<const std::byte> bytes) {
            too_long = bytes.size() > size - done;
            if (too_long)
                return false;
            if (!write_all(fd.get(), bytes)) {
                write_code = errno;
                return false;
            }
            done += bytes.size();
            progress(done);
            return true;
        };
        for (int i = 0; i < kAttempts; i++) {
            const CURLcode code = perform(url, done, take);
            if (write_code != 0)
                return write_error(path, write_code);
            if (too_long)
                return Error{fmt::format("{}: more than {} bytes", url, size)};
            if (code == CURLE_OK && done == size)
                return {};
            if (code == CURLE_OK)
                return Error{fmt::format("{}: {} bytes of {}", url, done, size)};
            if (code == CURLE_RANGE_ERROR) {
                // The server sends only whole files.
                if (ftruncate(fd.get(), 0) != 0 || lseek(fd.get(), 0, SEEK_SET) != 0)
                    return write_error(path, errno);
                done = 0;
                continue;
            }
            if (!is_cut_off(code) && (!is_unreachable(code) || done == 0))
                return error(url, code);
            if (done > most) {
                most = done;
                i = -1;
            } else {
                pause(i);
            }
        }
        return Error{fmt::format("{}: still cut off after {} of {} bytes", url, done, size)};
    }

  private:
    template <class Value> void set(CURLoption option, Value value) {
        if (set_up_ == CURLE_OK)
            set_up_ = functions_.setopt(curl_, option, value);
    }

    CURLcode perform(const std::string &url, uint64_t from, const Take &take) {
        const bool secure = strncasecmp(url.c_str(), "https:", 6) == 0;
        message_[0] = '\0';
        set_up_ = CURLE_OK;
        set(CURLOPT_ERRORBUFFER, message_.data());
        set(CURLOPT_URL, url.c_str());
        set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(from));
        set(CURLOPT_WRITEFUNCTION, &take_bytes);
        set(CURLOPT_WRITEDATA, const_cast<void *>(static_cast<const void *>(&take)));
        set(CURLOPT_PROTOCOLS_STR, "http,https");
        set(CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
        set(CURLOPT_FOLLOWLOCATION, 1L);
        set(CURLOPT_MAXREDIRS, 5L);
        set(CURLOPT_FAILONERROR, 1L);
        set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
        set(CURLOPT_LOW_SPEED_LIMIT, 1L);
        set(CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
        set(CURLOPT_USERAGENT, "btf-extra/" BTF_EXTRA_VERSION);
        // A libcurl that does not know an option would use other protocols and redirects.
        return set_up_ == CURLE_OK ? functions_.perform(curl_) : set_up_;
    }

    Error error(const std::string &url, CURLcode code) const {
        long status = 0;
        if (code == CURLE_HTTP_RETURNED_ERROR)
            functions_.getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
        const char *reason = message_[0] != '\0' ? message_.data() : functions_.strerror(code);
        return Error{fmt::format("{}: {}", url, reason),
                     status == 404 || status == 410 ? ENOENT : 0};
    }

    static Error write_error(const std::string &path, int code) {
        return Error{fmt::format("{}: output: {}", path, std::strerror(code)), code};
    }

    static void pause(int attempt) { std::this_thread::sleep_for(kFirstPause * (1 << attempt)); }

    CURL *curl_;
    const Functions functions_;
    std::array<char, CURL_ERROR_SIZE> message_ = {};
    CURLcode set_up_ = CURLE_OK;
};

}  // namespace

Result<std::unique_ptr<Download>> Download::open() {
    auto library = TRY(LoadedLibrary::open("libcurl.so.4", "libcurl4"));
    Functions functions = {};
    library.find("curl_global_init", functions.global_init);
    library.find("curl_easy_init", functions.init);
    library.find("curl_easy_cleanup", functions.cleanup);
    library.find("curl_easy_setopt", functions.setopt);
    library.find("curl_easy_getinfo", functions.getinfo);
    library.find("curl_easy_perform", functions.perform);
    library.find("curl_easy_strerror", functions.strerror);
    TRY(library.complete());
    CURL *curl = functions.global_init(CURL_GLOBAL_DEFAULT) == 0 ? functions.init() : nullptr;
    if (curl == nullptr)
        return Error{"libcurl.so.4: cannot be initialized"};
    return std::unique_ptr<Download>(std::make_unique<CurlDownload>(functions, curl));
}

}  // namespace btf_extra::host
