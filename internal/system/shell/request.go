package shell

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// request is what the child is asked to run. It is sent before the line's own input, on the same stream: the system limits the
// size of process arguments, and a line and its files may exceed that limit.
type request struct {
	line string
	// files and refused are those of the Command.
	files, refused []string
}

// headLen is the size of the length field before a request. maxRequest is the largest length of a request. Both are in bytes.
const (
	headLen    = 8
	maxRequest = 1 << 30
)

var errRequest = errors.New("the request is malformed")

// encode returns the length of the request, followed by the texts: the line, the number of files, the files, and the refused
// directories. Each text is preceded by its own length.
func (r request) encode() []byte {
	out := make([]byte, headLen)

	for _, text := range slices.Concat([]string{r.line, strconv.Itoa(len(r.files))}, r.files, r.refused) {
		out = binary.AppendUvarint(out, uint64(len(text)))
		out = append(out, text...)
	}

	binary.BigEndian.PutUint64(out, uint64(len(out)-headLen))

	return out
}

// readRequest reads a request from the stream. It does not read anything that follows the request.
func readRequest(stdin io.Reader) (request, error) {
	head := make([]byte, headLen)
	if _, err := io.ReadFull(stdin, head); err != nil {
		return request{}, fmt.Errorf("reading the length of the request: %w", err)
	}

	size := binary.BigEndian.Uint64(head)
	if size > maxRequest {
		return request{}, errRequest
	}

	data, err := io.ReadAll(io.LimitReader(stdin, int64(size)))
	if err != nil || uint64(len(data)) < size {
		return request{}, errors.Join(errRequest, err)
	}

	return decodeRequest(data)
}

func decodeRequest(data []byte) (request, error) {
	var texts []string

	for len(data) > 0 {
		length, n := binary.Uvarint(data)
		if n <= 0 || length > uint64(len(data)-n) {
			return request{}, errRequest
		}

		data = data[n:]
		texts = append(texts, string(data[:length]))
		data = data[length:]
	}

	const fixed = 2
	if len(texts) < fixed {
		return request{}, errRequest
	}

	files, err := strconv.Atoi(texts[1])
	if err != nil || files < 0 || files > len(texts)-fixed {
		return request{}, errRequest
	}

	return request{line: texts[0], files: texts[fixed : fixed+files], refused: texts[fixed+files:]}, nil
}
